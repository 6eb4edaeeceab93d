"""One module per benchmark tool, each ends in PARSER = Parser(...); helpers begin with an underscore."""
