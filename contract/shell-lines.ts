/** Fences of a shell, or of none; of a console, the lines behind the prompt. These are what a runner executes. */
export function shellLinesIn(block: string): string[] {
  return [...block.matchAll(/^ *(`{3,}|~{3,}) *(\S*)[^\n]*\n(.*?)^ *\1 *$/gms)].flatMap(
    ([, , language, text]) => {
      const name = language!.toLowerCase()
      const isConsole = ['console', 'shell-session', 'terminal'].includes(name) || /^ *\$ /m.test(text!)
      if (!isConsole && !['', 'sh', 'bash', 'shell', 'zsh'].includes(name)) return []
      const lines = isConsole
        ? [...text!.matchAll(/^ *\$ (.*)$/gm)].map((match) => match[1]).join('\n')
        : text!.trimEnd()
      return lines.trim() ? [lines] : []
    },
  )
}

/** Programs whose name begins a command and hardly ever a sentence. */
const programs = new Set(
  'bash bun bundle cargo curl deno docker dotnet git gradle java kubectl mvn node npm npx php pip pnpm podman psql pytest python python3 rake ruby sh uv wget yarn'.split(
    ' ',
  ),
)

/** A line as it is typed into a terminal: behind a prompt, a known program with an argument, or any with an option. */
function isCommand(line: string): boolean {
  const [program = '', ...given] = line.trim().split(/\s+/)
  if (program === '$') return given.length > 0
  if (program.startsWith('./')) return program.length > 2
  if (!/^[a-z][\w.-]*$/.test(program) || given.length === 0) return false
  return programs.has(program) || given.some((argument) => /^--?[a-z]/i.test(argument))
}

/** Whether a text has a command, executed by a runner or typed by a person: in a fence, in backticks or on its line. */
export const hasCommand = (text: string): boolean =>
  shellLinesIn(text).length > 0 ||
  text.split(/[\n`]/).some((line) => isCommand(line.replace(/^\s*(?:[-*]|\d{1,3}[.)])\s/, '')))
