from webapp.files.tests.buckets import bucket, s3_server

__all__ = ["bucket", "s3_server"]
