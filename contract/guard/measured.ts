const tests = [
  /(^|\/)(tests?|specs?|__tests__|e2e|testing)\//i,
  /[._-](test|spec)s?\.[a-z0-9]+$/i,
  /(^|\/)test_[^/]+\.[a-z]+$/i,
  /_test\.[a-z]+$/i,
  /Tests?\.(java|kt|kts|cs|fs|swift|php|scala|groovy)$/,
]

export const isTest = (path: string): boolean => tests.some((form) => form.test(path))

const skips = new RegExp(
  [
    String.raw`\b(?:it|test|describe|suite|context|specify)\.(?:skip|only|todo|failing|fixme)\b`,
    String.raw`\b(?:x|f)(?:it|describe|test|context)\s*\(`,
    String.raw`\b(?:t|this)\.skip\(`,
    String.raw`[{,]\s*(?:skip|todo|only):\s*(?:true|['"\x60])`,
    String.raw`\bpytest\.(?:mark\.(?:skip|xfail)|skip|xfail|importorskip)`,
    String.raw`@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b`,
    String.raw`\bself\.skipTest\(`,
    String.raw`@(?:Disabled|Ignore|DisabledIf|EnabledIf)\b`,
    String.raw`\.Skip(?:f|Now)?\(`,
    String.raw`#\[ignore`,
    String.raw`\(Skip\s*=|\[Ignore`,
    String.raw`\bmarkTest(?:Skipped|Incomplete)\(`,
  ].join('|'),
  'g',
)

/** How often a file of tests says that one of them is not to be run, or only that one. */
export const countSkippedTests = (text: string): number => text.match(skips)?.length ?? 0
