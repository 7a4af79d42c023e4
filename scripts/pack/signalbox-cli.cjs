#!/usr/bin/env node
'use strict'

// Any Node must be able to read this file, if only to say that it is too old.

var path = require('path')
var url = require('url')

var version = process.versions.node.split('.').map(Number)
if (version[0] < 20 || (version[0] === 20 && version[1] < 18)) {
  process.stderr.write(
    'signalbox needs Node 20.18 or later; this is ' +
      process.versions.node +
      '. Install a newer Node and try again.\n',
  )
  process.exitCode = 2
} else import(url.pathToFileURL(path.join(__dirname, 'cli.mjs')).href)
