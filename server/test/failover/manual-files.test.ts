import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualFiles } from './manual-files.ts'

test('the files that test:ha runs are those of the manual, with ports of this machine for its addresses', async () => {
  const files = await ManualFiles.read()
  const patroni = files.block('# /etc/patroni/config.yml', {
    ...{ 'name: db1': 'name: db2', '10.0.0.31:': '10.0.0.32:' },
    ...{ '/var/lib/postgresql/15/signalbox': '/tmp/data', '/run/postgresql': '/tmp' },
    'synchronous_mode_strict: true': 'synchronous_mode_strict: false',
  })
  assert.match(patroni, new RegExp(`connect_address: 127\\.0\\.0\\.1:${files.port('10.0.0.32:5432')}\\n`))
  assert.match(patroni, /^ {4}synchronous_mode: true$/m)
  const blocks = ['etcd --name', '# /etc/haproxy/haproxy.cfg', 'create role', 'DATABASE_URL=postgresql']
  for (const text of [patroni, ...blocks.map((beginning) => files.block(beginning))])
    assert.doesNotMatch(text, /10\.0\.0\.\d/)
  for (const machine of ['10.0.0.5:4400', '10.0.0.11:4400', '10.0.0.12:4400'])
    assert.ok(files.port(machine) > 0)
  assert.throws(() => files.block('# /etc/haproxy/haproxy.cfg', { 'not there': '' }), /does not have/)
})
