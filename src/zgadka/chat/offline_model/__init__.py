"""The offline model: no language model, a few rules that use the same tools through the same loop."""
