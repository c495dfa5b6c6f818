"""Page models and templates: what each page of a site shows."""
