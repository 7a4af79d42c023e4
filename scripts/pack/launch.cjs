'use strict'

// Any Node must be able to read this file, if only to say that it is too old: no syntax that is younger than Node 4.

var path = require('path')

var oldest = 20
var own = 24

/** Starts `program` on the Node that the package brings, in place of the one that read this. */
module.exports = function launch(name, program, flags, args) {
  var running = process.versions.node
  var major = parseInt(running, 10)
  if (major < oldest)
    return refuse(
      name +
        ' needs Node ' +
        oldest +
        ' or later to start; this is ' +
        running +
        '. Install a newer Node and try again.',
    )
  var node = ownNode() || (major >= own ? process.execPath : null)
  if (!node)
    return refuse(
      name +
        ' found no Node of its own for ' +
        process.platform +
        '-' +
        process.arch +
        ' (it is an optional dependency). Install again without --omit=optional, or start it with Node ' +
        own +
        ' or later; this is ' +
        running +
        '.',
    )
  replaceWith(node, flags.concat([path.join(__dirname, program)], args))
}

function refuse(sentence) {
  process.stderr.write(sentence + '\n')
  process.exitCode = 2
}

/** Of an optional dependency that npm installs for this platform only, without a script. */
function ownNode() {
  var platform = process.platform === 'win32' ? 'win' : process.platform
  var manifest
  try {
    manifest = require.resolve('node-' + platform + '-' + process.arch + '/package.json')
    return path.join(path.dirname(manifest), 'bin', platform === 'win' ? 'node.exe' : 'node')
  } catch (_) {
    return null
  }
}

function start(node, args) {
  var spawn = require('child_process').spawn
  if (process.platform === 'win32') return spawn(node, args, { stdio: 'inherit' })
  var watch = require('url').pathToFileURL(path.join(__dirname, 'stop-with-launcher.mjs')).href
  return spawn(node, ['--import', watch + '?launcher=' + process.pid].concat(args), {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  })
}

function replaceWith(node, args) {
  if (process.execve && process.platform !== 'win32') {
    // That this call is new is nothing to tell the person who started Signalbox.
    process.emitWarning = () => {}
    return process.execve(node, [node].concat(args), process.env)
  }
  var child = start(node, args)
  // From a terminal, Ctrl-C reaches both; a supervisor only knows this process.
  ;['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'].forEach((signal) => {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  })
  child.on('error', (error) => {
    refuse('The Node of this package could not be started: ' + error.message + '.')
  })
  child.on('exit', (code, signal) => {
    if (!signal) return process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
