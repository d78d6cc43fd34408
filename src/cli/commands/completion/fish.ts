import type { DescribedCommand, DescribedOption } from './describe-program.ts';

/** Writes the completion for fish, with what each word means. */
export function writeFish(commands: readonly DescribedCommand[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => path);
  const lines = [
    `# To use it: plantsync completion fish | source.`,
    `function __plantsync_is_at`,
    `    set -l place ''`,
    `    for word in (commandline -opc)[2..]`,
    `        set -l longer (string trim -- "$place $word")`,
    `        if contains -- $longer ${paths.map(quote).join(' ')}`,
    `            set place $longer`,
    `        end`,
    `    end`,
    `    test "$place" = "$argv[1]"`,
    `end`,
    `complete -c plantsync -f`,
    ...commands.flatMap(writeCommand),
  ];
  return `${lines.join('\n')}\n`;
}

function writeCommand({ path, commands, options, values }: DescribedCommand): string[] {
  const here = `complete -c plantsync -n ${quote(`__plantsync_is_at ${quote(path)}`)}`;
  return [
    ...commands.map(({ name, about }) => `${here} -a ${quote(name)} -d ${quote(about)}`),
    ...(Array.isArray(values) ? [`${here} -a ${quote(values.join(' '))}`] : []),
    ...options.map((option) => `${here} ${writeOption(option)}`),
  ];
}

function writeOption({ name, about, takesValue, values }: DescribedOption): string {
  const words =
    values === 'file' ? ' -r -F' : values === undefined ? ' -x' : ` -x -a ${quote(values.join(' '))}`;
  return `-l ${name.replace(/^--/, '')}${takesValue ? words : ''} -d ${quote(about)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
