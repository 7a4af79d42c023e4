/**
 * What every git of ours is given, whatever repository it reads: nothing of our environment and no one's settings reach
 * it, it never prompts, runs no hook, fetches nothing, and talks to no other machine.
 */

export const closedSettings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'submodule.recurse=false',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
  // Whose folder it is was checked: the operator allows it, or we made it.
  'safe.directory=*',
]

export const closedEnvironment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_NO_LAZY_FETCH: '1',
}
