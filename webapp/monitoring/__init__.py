"""What an operator sees from outside: metrics for Prometheus, structured logs, free space."""
