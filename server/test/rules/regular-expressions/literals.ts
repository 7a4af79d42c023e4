/** Regular expressions as they are in a source, without a parser of the language: comments, texts and templates are passed over. */
export function literalsIn(text: string): { source: string; flags: string; line: number }[] {
  const found: { source: string; flags: string; line: number }[] = []
  let at = 0
  let before = ''
  const depths: number[] = []
  let depth = 0
  while (at < text.length) {
    const rest = text.slice(at, at + 2)
    const letter = text[at]!
    if (rest === '//') at = endOf('\n')
    else if (rest === '/*') at = endOf('*/')
    else if (letter === "'" || letter === '"') at = afterText(letter)
    else if (letter === '`' || (letter === '}' && depths.at(-1) === depth)) {
      if (letter === '}') depths.pop()
      at = afterTemplate()
    } else if (letter === '/' && /[(,=:[!&|?{};+>\n]$|\b(?:return|typeof|case|of|in)$|^$/.test(before)) {
      const [whole = '/', source = '', flags = ''] =
        /^\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([a-z]*)/.exec(text.slice(at, at + 2_000)) ?? []
      if (source) found.push({ source, flags, line: text.slice(0, at).split('\n').length })
      at += whole.length
      before = ')'
    } else {
      if (letter === '{') depth += 1
      if (letter === '}') depth -= 1
      if (/\S/.test(letter))
        before = (/\s/.test(text[at - 1] ?? ' ') && /\w/.test(letter) ? ' ' : before.slice(-8)) + letter
      at += 1
    }
  }
  return found

  function endOf(mark: string): number {
    const end = text.indexOf(mark, at + 2)
    return end === -1 ? text.length : end + mark.length
  }

  function afterText(quote: string): number {
    let end = at + 1
    while (end < text.length && text[end] !== quote) end += text[end] === '\\' ? 2 : 1
    before = ')'
    return end + 1
  }

  function afterTemplate(): number {
    let end = at + 1
    while (end < text.length && text[end] !== '`') {
      if (text.startsWith('${', end)) {
        depths.push(depth)
        before = '('
        return end + 2
      }
      end += text[end] === '\\' ? 2 : 1
    }
    before = ')'
    return end + 1
  }
}
