"""The paper's mixed integer program, made smaller."""
