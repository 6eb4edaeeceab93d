"""The API under /api/v1/: what pages show, as JSON, and what people do with their archives."""
