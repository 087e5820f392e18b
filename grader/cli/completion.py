"""`etude completion`: shell completion of commands, options and exercises."""

import click

_LINES = {
    "bash": ("~/.bashrc", 'eval "$(_ETUDE_COMPLETE=bash_source etude)"'),
    "zsh": ("~/.zshrc", 'eval "$(_ETUDE_COMPLETE=zsh_source etude)"'),
    "fish": (
        "~/.config/fish/completions/etude.fish",
        "_ETUDE_COMPLETE=fish_source etude | source",
    ),
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(_LINES)))
def command(shell: str) -> None:
    """Print the line that makes SHELL complete commands, options and exercises.

    \b
    Examples:
      etude completion bash >> ~/.bashrc
      etude completion zsh >> ~/.zshrc
      etude completion fish >> ~/.config/fish/completions/etude.fish
    """
    file, line = _LINES[shell]
    click.echo(line)
    click.echo(f"etude: that line belongs into {file}; it works in the next shell", err=True)
