"""Where pages come from: the live web, recorded webs, generated webs."""
