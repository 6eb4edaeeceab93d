"""`python -m poolmark`"""

from poolmark.cli import main

main()
