from setuptools.build_meta import *
