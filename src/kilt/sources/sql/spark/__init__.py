"""Spark: DataFrames, and folders of Parquet wherever Spark can read them."""

import warnings

with warnings.catch_warnings():  # Spark warns of every newer pandas, which kilt does not use with it
    warnings.simplefilter("ignore")
    import pyspark.sql
    import pyspark.testing.utils  # noqa: F401 - it is loaded when a session is used, and warns then
