"""What a program of programs/ says that its kernels take on the model's H200."""
import subprocess


def figures_of(warpgauge, program):
    """The numbers of each line that it prints, by the name that the line begins with."""
    out = subprocess.run([warpgauge, "run", "--gpu", "h200", "--quiet", "--", program], check=True, capture_output=True, text=True).stdout
    return {name: [float(word) for word in words] for name, *words in (line.split() for line in out.splitlines())}
