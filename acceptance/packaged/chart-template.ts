/**
 * Renders a template of the chart, which is kept as plain as this: values, `toJson` of values, and `if` and `range` on
 * lines of their own. Anything else is refused, so that what is checked here is what Helm makes of it.
 */
export function render(template: string, dot: unknown): string {
  return rendered(template.split('\n'), dot).join('\n')
}

const begins = /^\{\{- (if|range) (\.[\w.]+) \}\}$/
const end = '{{- end }}'

function rendered(lines: string[], dot: unknown): string[] {
  const done: string[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const [, word, path] = begins.exec(lines[at]!) ?? []
    if (!path) {
      done.push(filled(lines[at]!, dot))
      continue
    }
    const last = endOf(lines, at)
    const value = read(path, dot)
    // `if` goes on with the same dot; a range has each item for one.
    const dots = word === 'range' ? (value as unknown[]) : value ? [dot] : []
    for (const one of dots) done.push(...rendered(lines.slice(at + 1, last), one))
    at = last
  }
  return done
}

function endOf(lines: string[], first: number): number {
  for (let at = first + 1, depth = 1; at < lines.length; at += 1) {
    if (begins.test(lines[at]!)) depth += 1
    if (lines[at] === end) depth -= 1
    if (depth === 0) return at
  }
  throw new Error(`${lines[first]} has no end`)
}

function filled(line: string, dot: unknown): string {
  const action = /\{\{ (toJson )?(\.[\w.]*) \}\}/g
  if (/\{\{/.test(line.replaceAll(action, ''))) throw new Error(`not plain: ${line}`)
  return line.replaceAll(action, (_, json: string | undefined, path: string) => {
    const value = read(path, dot)
    if (value === undefined) throw new Error(`there is no ${path}`)
    if (!json && typeof value === 'object') throw new Error(`${path} is no text`)
    return json ? JSON.stringify(value) : String(value)
  })
}

type Fields = { [name: string]: unknown } | undefined

const read = (path: string, dot: unknown): unknown =>
  path === '.'
    ? dot
    : path
        .slice(1)
        .split('.')
        .reduce((value, name) => (value as Fields)?.[name], dot)
