import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restartCommand } from './restart-command.ts'

const checkout = {
  ...{ env: {}, program: '/srv/signalbox/server/main.ts', isPackage: false, isContainer: false },
  cgroup: '0::/user.slice/user-1000.slice/session-4.scope\n',
}
const archive = { ...checkout, program: '/opt/node_modules/signalbox/dist/main.js', isPackage: true }

test('a server is started again the way it was started, and a confined one is not told to start a runner', () => {
  assert.equal(restartCommand(checkout), 'npm start -- --with-runner')
  assert.equal(restartCommand({ ...checkout, isContainer: true }), 'npm start -- --with-runner')
  assert.match(restartCommand({ ...archive, env: { npm_command: 'exec' } })!, /^npx --no -- /)
  assert.doesNotMatch(restartCommand(archive)!, /npx/)
  assert.equal(restartCommand({ ...archive, isContainer: true }), null)
  for (const cgroup of [
    '0::/system.slice/signalbox.service\n',
    '1:name=systemd:/system.slice/a.service\n0::/\n',
  ]) {
    assert.equal(restartCommand({ ...archive, cgroup, env: { INVOCATION_ID: '4f' } }), null)
    assert.notEqual(restartCommand({ ...archive, cgroup }), null, 'a shell beneath a service is no service')
  }
  assert.equal(restartCommand({ ...checkout, program: '/srv/signalbox/demo/main.ts' }), null)
})
