import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksFor, type RemedySetting, remedies, remedyIn } from './remedy.ts'

test('every remedy is read again from a refusal that ends with it', () => {
  for (const setting of Object.keys(remedies) as RemedySetting[]) {
    const what = setting.endsWith('ALLOW') ? 'git.internal' : setting === '--git-folders' ? '/srv/my git' : 50
    const found = remedyIn(`It was refused (ECONN). ${asksFor(setting, what)} Then try again.`)
    assert.equal(found?.setting, setting)
    assert.equal(found.asks, asksFor(setting, what))
    assert.ok(found.line.startsWith(setting), found.line)
    assert.match(found.doc, new RegExp(`^/docs/\\w+#${setting}$`))
  }
  assert.equal(remedyIn('It was refused.'), null)
  assert.equal(remedyIn('Ask the server operator to allow'), null)
})

test('the line to paste has what is set today, each once, and is quoted for a shell', () => {
  const line = (what: string, today: string) =>
    remedyIn(asksFor('GIT_ALLOW', what), { GIT_ALLOW: today })!.line
  assert.equal(line('git.internal', ''), 'GIT_ALLOW=git.internal')
  assert.equal(line('git.internal', '10.0.0.0/8,/srv/git'), 'GIT_ALLOW=10.0.0.0/8,/srv/git,git.internal')
  assert.equal(line('git.internal', 'git.internal'), 'GIT_ALLOW=git.internal')
  assert.equal(line("/srv/it's", '/srv/a'), `GIT_ALLOW='/srv/a,/srv/it'\\''s'`)
  assert.equal(remedyIn(asksFor('RUNNERS_PER_TOKEN', 250))!.line, 'RUNNERS_PER_TOKEN=500')
  const rates = { EXCHANGE_RATES: 'USD=0.92' }
  assert.equal(remedyIn(asksFor('EXCHANGE_RATES', 'CHF'), rates)!.line, 'EXCHANGE_RATES=USD=0.92,CHF=0.90')
  assert.equal(remedyIn(asksFor('--git-folders', '/srv/a b'))!.line, "--git-folders '/srv/a b'")
})
