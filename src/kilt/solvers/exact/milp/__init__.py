"""The paper's mixed integer program: as it stands (``paper_solver``), and made smaller (``solver``)."""
