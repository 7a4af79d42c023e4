import fc from 'fast-check'

/** Replaces values in bodies with ones that no sender would write. */

const strange = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, false, 0, -1, 1e21, 1e308, '', ' ', '\0', '\uD800', 'a\nb\u0007', '0001-01-01T00:00:00Z'],
    ...[
      'javascript:alert(1)',
      'https://example.com/x',
      '//example.com',
      'constructor',
      '__proto__',
      'firing',
      'resolved',
    ],
    ...[
      'x'.repeat(20_000),
      '😀'.repeat(3_000),
      [],
      {},
      [[]],
      [null],
      { a: { b: {} } },
      ['x'],
      { 0: 'x', length: 1 },
    ],
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

type Node = Record<string, unknown> | unknown[]

/** Every place in a body that holds a value. */
function slotsIn(value: unknown, found: [Node, string][] = []): [Node, string][] {
  if (typeof value !== 'object' || value === null) return found
  for (const key of Object.keys(value)) {
    found.push([value as Node, key])
    slotsIn((value as Record<string, unknown>)[key], found)
  }
  return found
}

/** One thing done to a body, at a place that is there whatever the body. */
export const change = fc.record({
  where: fc.nat(),
  what: fc.constantFrom('delete', 'replace', 'insert', 'retype'),
  value: strange,
  key: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'id', 'alerts', 'title')),
})

export function mutate(
  body: unknown,
  changes: readonly { where: number; what: string; value: unknown; key: string }[],
) {
  for (const { where, what, value: shared, key } of changes) {
    const value = structuredClone(shared)
    const slots = slotsIn(body)
    if (slots.length === 0) return
    const [node, name] = slots[where % slots.length]! as [Record<string, unknown>, string]
    if (what === 'delete') delete node[name]
    else if (what === 'retype')
      node[name] = typeof node[name] === 'string' ? [node[name]] : (JSON.stringify(node[name]) ?? '')
    else
      Object.defineProperty(node, what === 'insert' && !Array.isArray(node) ? key : name, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
}
