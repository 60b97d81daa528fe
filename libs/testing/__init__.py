"""Case runner, scripted chance and clock, given/when/then: what the tests of every game stand on."""
