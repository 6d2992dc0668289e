"""The best setting of a scenario, found with few runs."""
