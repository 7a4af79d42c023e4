import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'

const styles = await readFile(path.join(import.meta.dirname, 'src', 'style.css'), 'utf8')

/** The tokens of a theme, those that are colours. */
function themeOf(selector: string): Map<string, string> {
  const from = styles.indexOf(`${selector} {`)
  const block = styles.slice(from, styles.indexOf('\n}', from))
  return new Map([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name!, hex!]))
}

const themes = { light: themeOf(':root'), dark: themeOf('[data-theme="dark"]') }
const surfaces = ['bg', 'surface', 'raised', 'hover', 'selected']

/** As WCAG 2.2 has it. */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (lighter! + 0.05) / (darker! + 0.05)
}

/** Of each theme, what is beneath a contrast on a surface. */
const beneath = (least: number, names: string[], on: string[]): string[] =>
  Object.entries(themes).flatMap(([theme, tokens]) =>
    names.flatMap((name) =>
      on.flatMap((surface) => {
        const found = contrast(tokens.get(name)!, tokens.get(surface)!)
        return found < least ? [`${theme}: ${name} on ${surface} has ${found.toFixed(2)}`] : []
      }),
    ),
  )

test('text of every colour has a contrast of 4.5 on every surface, those of printed lines too', () => {
  const texts = ['text', 'muted', 'accent', 'ok', 'warn', 'danger', 'info', 'magenta', 'cyan']
  assert.deepEqual(beneath(4.5, texts, surfaces), [])
  for (const tone of ['ok', 'warn', 'danger', 'info', 'accent'])
    assert.deepEqual(beneath(4.5, [tone], [`${tone}-soft`]), [])
})

test('the border of a control has a contrast of 3 on every surface', () => {
  assert.deepEqual(beneath(3, ['line-strong'], surfaces), [])
  assert.deepEqual(beneath(3, ['accent-fill', 'danger-fill'], ['bg', 'surface']), [])
})

test('fields and plain buttons have that border', async () => {
  for (const file of ['ui/field.tsx', 'ui/button.tsx'])
    assert.match(
      await readFile(path.join(import.meta.dirname, 'src', file), 'utf8'),
      /border-line-strong bg-surface|bg-surface text-text border-line-strong/,
    )
})
