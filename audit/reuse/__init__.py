"""Results of earlier audits: what each was made of, and where it is kept."""
