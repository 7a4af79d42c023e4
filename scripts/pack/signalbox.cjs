#!/usr/bin/env node
'use strict'

var path = require('path')
var url = require('url')

var args = process.argv.slice(2)
var cache = url.pathToFileURL ? url.pathToFileURL(path.join(__dirname, 'compile-cache.mjs')).href : ''

// Without a word it serves: that is what it is for.
require('./launch.cjs')(
  'Signalbox',
  'lib/main.js',
  ['--import', cache, '--max-semi-space-size=8'],
  args.length > 0 ? args : ['serve'],
)
