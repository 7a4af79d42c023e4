/** What an alert says of the code: files of stack traces, names of modules, labels. Words are read, never obeyed. */

/** An alert as the investigation reads it. */
export interface ReadForClues {
  title: string
  description: string | null
  labels: Record<string, string>
}

export interface Clues {
  /** Files of stack traces, innermost first as they are in the text. */
  frames: string[]
  /** Files that are named without a line: in the text, or in a label. */
  files: string[]
  /** Modules that the text names. */
  modules: string[]
  /** Parts of the system that labels name. */
  components: string[]
  /** Commits that labels name as what is running. */
  commits: string[]
  /** When what is running was deployed, as labels say. */
  deployedAt: Date | null
  /** A mistake of a program by its name, as `TypeError`; null when there is none. */
  mistake: string | null
}

/** An alert may be as long as it likes; the beginning tells as much as the rest. */
const longestText = 10_000
const mostOfEach = 40

const extension =
  'tsx?|jsx?|[mc][jt]s|vue|svelte|py|java|kts?|scala|groovy|clj|go|rb|php|cs|fs|vb|rs|c|cc|cpp|h|hpp|swift|m|exs?|erl|pl|dart|lua'
const file = `(?<![\\w./\\\\~@$-])(?:[A-Za-z]:)?[\\w./\\\\~@$+\\-[\\]]{1,300}?\\.(?:${extension})`
/** `src/a.ts:1:2`, `x.go:12`, `File "x.py", line 12`, `a.php(12)`, `A.cs:line 12`. */
const frame = new RegExp(`(${file})(?::(?:line )?\\d+|", line \\d+|\\(\\d+\\))`, 'g')
/** `com.example.Foo.bar(Foo.java:12)`: the package says in which folder. */
const packaged =
  /(?<![\w.$])((?:[\w$]{1,100}\.){1,12})[\w$<>]{1,100}\(([\w$]{1,100}\.(?:java|kt|scala|groovy)):\d+\)/g
const named = new RegExp(`(${file})(?![\\w.:("-])`, 'g')
const moduleName = /\bmodule (?:named )?['"`]?([\w./@-]{2,200})/gi

/** Code of others: a change of ours is not in it. */
const foreign =
  /(^|[/\\])(node_modules|site-packages|dist-packages|vendor|\.cargo|\.m2|gems|rustc|usr[/\\]lib|usr[/\\]local[/\\]go)[/\\]|^(java|javax|jdk|sun|kotlin|scala)[/\\]/

const mistakes =
  /\b(TypeError|ReferenceError|RangeError|SyntaxError|NullPointerException|NullReferenceException|IndexOutOf(?:Bounds|Range)\w{0,40}|IndexError|KeyError|AttributeError|ValueError|NameError|NoMethodError|ZeroDivisionError|DivideByZero\w{0,40}|ArithmeticException|ClassCastException|IllegalArgumentException|IllegalStateException|StackOverflowError|AssertionError|UnboundLocalError|nil pointer dereference|index out of range|undefined method|segmentation fault|unhandled (?:exception|rejection))\b/i

const fileLabels = /^(path|file|filename|source_?file|code[._]filepath)$/i
const componentLabels =
  /^(component|module|logger|package|namespace|service|app|application|subsystem|code[._]namespace)$/i
const commitLabels = /^(commit|sha|git_?sha|git_?commit|revision|release|version|deployment\.commit)$/i
const deployLabels = /^(deployed_?at|deploy_?time|deployment_?time|released_?at)$/i

export function cluesIn(alerts: readonly ReadForClues[]): Clues {
  const frames = new Set<string>()
  const files = new Set<string>()
  const modules = new Set<string>()
  const components = new Set<string>()
  const commits = new Set<string>()
  let deployedAt: Date | null = null
  let mistake: string | null = null
  for (const { title, description, labels } of alerts) {
    const text = `${title}\n${description ?? ''}`.slice(0, longestText)
    for (const [, folder, name] of text.matchAll(packaged))
      add(frames, `${folder!.split('.').slice(0, -2).join('/')}/${name}`)
    const rest = text.replaceAll(packaged, ' ')
    for (const [, name] of rest.matchAll(frame)) add(frames, name!)
    for (const [, name] of rest.matchAll(named)) if (/[/\\]/.test(name!)) add(files, name!)
    for (const [, name] of text.matchAll(moduleName)) add(modules, name!.replaceAll('.', '/'))
    mistake ??= mistakes.exec(text)?.[1] ?? null
    for (const [label, value] of Object.entries(labels)) {
      const short = String(value).slice(0, 300)
      if (fileLabels.test(label)) add(files, short.replace(/:\d+(:\d+)?$/, ''))
      else if (componentLabels.test(label)) add(components, short)
      else if (deployLabels.test(label)) deployedAt ??= momentOf(short)
      else if (commitLabels.test(label))
        for (const [commit] of short.matchAll(/\b[0-9a-f]{7,40}\b/gi)) add(commits, commit.toLowerCase())
    }
  }
  return {
    frames: [...frames],
    files: [...files].filter((name) => !frames.has(name)),
    modules: [...modules],
    components: [...components],
    commits: [...commits],
    deployedAt,
    mistake,
  }
}

function add(found: Set<string>, name: string): void {
  const clean = name
    .replaceAll('\\', '/')
    .replace(/^\/\/|^[A-Za-z]:/, '')
    .replace(/^(\.{1,2}\/)+/, '')
  if (clean === '' || foreign.test(clean) || found.size >= mostOfEach) return
  found.add(clean)
}

/** ISO, or seconds or milliseconds since 1970. */
function momentOf(text: string): Date | null {
  const number = /^\d{10}(\d{3})?(\.\d+)?$/.test(text) ? Number(text) : null
  const moment = number === null ? new Date(text) : new Date(number < 1e11 ? number * 1000 : number)
  return Number.isNaN(moment.getTime()) ? null : moment
}
