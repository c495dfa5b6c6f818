"""Writing a site: its folder, its cache, text made safe."""
