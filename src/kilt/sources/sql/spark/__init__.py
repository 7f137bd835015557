"""Spark: DataFrames, and folders of Parquet wherever Spark can read them."""
