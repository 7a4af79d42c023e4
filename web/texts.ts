import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseAst } from 'vite'

export const root = path.join(import.meta.dirname, '..')

/** Every piece of text in a source: strings, templates without what is put in, and what stands between tags. */
function textsOf(file: string, source: string): string[] {
  const texts: string[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const part of node) visit(part)
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const { type, value, quasis } = node as { type?: string; value?: unknown; quasis?: Quasi[] }
    if (type === 'ImportDeclaration' || type === 'TSLiteralType') return
    if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') texts.push(value)
    if (type === 'TemplateLiteral') texts.push(quasis!.map(({ value: { cooked } }) => cooked).join('…'))
    for (const part of Object.values(node)) visit(part)
  }
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())
}
interface Quasi {
  value: { cooked: string }
}

export interface Text {
  file: string
  text: string
}

const read = new Map<string, Promise<Text[]>>()

/** The texts of every source below a folder, read once. Tests and what they use are left out. */
export function textsIn(folder: string): Promise<Text[]> {
  const known = read.get(folder) ?? readTexts(folder)
  read.set(folder, known)
  return known
}

async function readTexts(folder: string): Promise<Text[]> {
  const found: Text[] = []
  for (const name of await readdir(path.join(root, folder), { recursive: true })) {
    const file = path.join(folder, name)
    if (!/\.tsx?$/.test(file) || /\.test\.ts$|\.types\.ts$|node_modules|\/(test|dist)\//.test(file)) continue
    const source = await readFile(path.join(root, file), 'utf8')
    found.push(...textsOf(file, source).map((text) => ({ file, text })))
  }
  return found
}

/** Those that are wrong, as `file: text`. */
export const findIn = async (folder: string, isWrong: (text: string) => boolean): Promise<string[]> =>
  (await textsIn(folder))
    .filter(({ text }) => isWrong(text))
    .map(({ file, text }) => `${file}: ${text.slice(0, 120)}`)
