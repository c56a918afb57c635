"""Networks that evaluate positions, learnt from self-play (``pip install 'tercet[train]'``)."""
