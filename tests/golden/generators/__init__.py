"""Expected numbers for Hornbeam's tests, computed with real Keras. See ../README.md."""
