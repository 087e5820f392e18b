"""Verdicts and outcomes, the raw results behind them, their JSON, and the journal of a job."""
