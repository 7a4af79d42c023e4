import { type Attempt, attempts, stayedInside, type WorkScenario } from '../attempt.ts'
import { both, endsWith, inPaths, onlyPaths, unchanged } from '../caught.ts'

const commit = 'b'.repeat(40)
const gates = (run: string, more = '') => `gates:\n  - { name: test, run: ${run}${more} }\n`

const proves = 'What a repository holds runs nothing and reaches nothing outside of a box'

/** A repository with a program for git in it, inside the folder of a submodule of the base. */
const inSubmodule = (name: string, lines: string): Attempt => ({
  ...{ name, caught: stayedInside, proves: 'Nothing in the folder of a submodule is opened by the runner' },
  files: {
    'sub-{token}': { submodule: commit },
    '.gitmodules': '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n',
  },
  run: `sub=sub-$token; mkdir -p $sub; git init -q $sub; cd $sub; echo x > a.txt; git add a.txt; git -c user.name=x -c user.email=x commit -qm x; ${lines}; echo y >> a.txt`,
})

const submodules: Attempt[] = [
  inSubmodule(
    'a filter in the folder of a submodule',
    'echo "* filter=evil" > .gitattributes; git config filter.evil.clean "touch $ran/$token; cat"; git config filter.evil.process "touch $ran/$token"',
  ),
  inSubmodule('a monitor in the folder of a submodule', 'git config core.fsmonitor "touch $ran/$token"'),
  inSubmodule(
    'hooks in the folder of a submodule',
    'mkdir -p .git/hooks; for hook in post-checkout post-index-change pre-commit; do printf "#!/bin/sh\\ntouch $ran/$token\\n" > .git/hooks/$hook; chmod 755 .git/hooks/$hook; done',
  ),
  inSubmodule(
    'a git folder of a submodule that lies elsewhere',
    'git config core.fsmonitor "touch $ran/$token"; mv .git $HOME/$token; echo "gitdir: $HOME/$token" > .git',
  ),
  inSubmodule(
    'a submodule inside of a submodule',
    'git init -q deeper; cd deeper; git config core.fsmonitor "touch $ran/$token"; echo "* filter=evil" > .gitattributes; git config filter.evil.clean "touch $ran/$token; cat"; echo x > b; cd ..',
  ),
]

const links: Attempt[] = [
  ...attempts({ proves: 'The runner follows no link of a repository’s' }, [
    { name: 'a folder of reports that is a link', files: { 'reports-{token}': { link: '{mine}' } } },
    { name: 'a report that is a link', files: { 'report-{token}.xml': { link: '{mine}/deep/report.xml' } } },
    { name: 'a list of ignored files that is a link', files: { 'a/.gitignore': { link: '{mine}/keys' } } },
    { name: 'attributes that are a link', files: { 'b/.gitattributes': { link: '{mine}/keys' } } },
    { name: 'a list of names that is a link', files: { '.mailmap': { link: '{mine}/keys' } } },
    {
      name: 'a link that leads to itself',
      files: { loop: { link: 'loop' }, dangling: { link: '/nowhere/{token}' } },
      caught: both(stayedInside, unchanged('loop', 'dangling')),
    },
    {
      name: 'links that lead in a circle of folders',
      files: { 'circle/one/two': { link: '../..' } },
      caught: both(stayedInside, unchanged('circle/one/two')),
    },
  ]),
  ...attempts({ proves: 'The machine’s secrets can’t be read', claim: 'secretsUnreadable' }, [
    {
      name: 'a link to somebody’s key, which the agent reads',
      files: { 'link-{token}': { link: '{mine}/keys' } },
      run: 'cat link-$token | tell; cp -L link-$token copy-$token; rm -f copy-$token',
    },
  ]),
  ...attempts({ proves: 'Writes stay inside the work folder', claim: 'writesOutsideBlocked' }, [
    {
      name: 'a link to somebody’s folder, which the agent writes through',
      files: { 'way-{token}': { link: '{mine}' } },
      run: 'echo $token > way-$token/escaped',
    },
  ]),
]

const settings: Attempt[] = attempts({ proves }, [
  {
    name: 'attributes that name filters and diffs',
    files: {
      '.gitattributes':
        '*.sh filter=evil diff=evil merge=evil\nwide.txt text eol=crlf working-tree-encoding=UTF-16\n*.bin ident export-subst\n',
      'wide.txt': 'wide\n',
      'id.bin': '$Id$\n',
    },
    caught: both(stayedInside, unchanged('wide.txt', 'id.bin', 'src/shop.sh')),
  },
  {
    name: 'settings of git’s in the tree',
    files: {
      '.gitconfig': '[core]\n\tfsmonitor = touch {ran}\n\thooksPath = .githooks\n',
      '.githooks/post-checkout': { program: '#!/bin/sh\ntouch {ran}\n' },
      '.githooks/pre-commit': { program: '#!/bin/sh\ntouch {ran}\n' },
    },
  },
  {
    name: 'large files that are elsewhere',
    files: {
      '.lfsconfig': '[lfs]\n\turl = http://127.0.0.1:{port}/{token}\n',
      'large/.gitattributes': '* filter=lfs diff=lfs merge=lfs -text\n',
      'large/file': 'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n',
    },
  },
  {
    name: 'a bare repository inside',
    files: {
      'bare/HEAD': 'ref: refs/heads/main\n',
      'bare/config': '[core]\n\tbare = true\n\tfsmonitor = touch {ran}\n\tworktree = .\n',
      'bare/objects/.keep': '',
      'bare/refs/.keep': '',
    },
    run: 'echo y >> bare/config',
    caught: both(stayedInside, inPaths('bare/config')),
  },
  {
    name: 'settings of programs that the runner might start',
    files: {
      '.npmrc': 'script-shell=touch {ran}\n',
      '.bashrc': 'touch {ran}\n',
      '.envrc': 'touch {ran}\n',
      'sitecustomize.py': 'open("{ran}", "w")\n',
      '.node_repl_history': '',
      'node_modules/.hooks/postinstall': { program: '#!/bin/sh\ntouch {ran}\n' },
    },
  },
])

const named = (name: string, file: string): Attempt => ({
  ...{ name, proves: 'A name is a name, whatever stands in it' },
  files: { [file]: 'x\n' },
  run: `printf 'y\\n' >> ${quoted(file)}`,
  caught: both(stayedInside, inPaths(file)),
})

const quoted = (file: string) =>
  `"$(printf -- '${file
    .replace(/[\\%]/g, (c) => (c === '%' ? '%%' : '\\\\'))
    .replaceAll('\n', '\\n')
    .replaceAll("'", "'\\''")}')"`

const names: Attempt[] = [
  named('a name that is an option of git', '--upload-pack=touch'),
  named('a name that is a pathspec', ':(exclude)greeting.txt'),
  named('a name with a line break', 'two\nlines'),
  named('a name with quotes and dollars', 'a"b$(touch x)`touch y`\'c'),
  named('a name that begins with a dash', '-rf'),
  named('a name with a star', 'a*b?[c]'),
  named('a name with a tab and a bell', 'tab\tbell\u0007'),
  named('a name that is long', 'n'.repeat(250)),
  named('a name that nobody sees', '\u3164'),
]

/** Refused in words, or worked on as if it were not there. */
const linked = (
  name: string,
  files: WorkScenario['runs'][number]['files'],
  attempt: Partial<Attempt> = {},
): WorkScenario['runs'][number] => ({
  attempts: attempts({ proves: 'The runner makes and reads nothing behind a link of a repository’s' }, [
    { name, ...(files ? { files } : {}), ...attempt },
  ]),
  ends: ['failed', 'change_ready'],
})

export const repositoryScenarios: WorkScenario[] = [
  {
    name: 'Submodules, links and settings of a repository lead the runner nowhere',
    category: 'repository',
    isQuick: true,
    runs: [
      {
        attempts: [...submodules, ...links, ...settings],
        files: { '.kanman/gates.yml': gates("'true'", ", report: junit, path: '**'") },
        stages: ['implementing', 'verifying'],
      },
    ],
  },
  {
    name: 'A submodule that names a command is fetched by nobody',
    category: 'repository',
    runs: [
      linked(
        'a link in place of a submodule',
        { 'linked-{token}': { submodule: commit } },
        { run: 'rm -rf linked-$token; ln -s $mine linked-$token' },
      ),
      linked('a submodule that is fetched by a command', {
        'commanded-{token}': { submodule: commit },
        '.gitmodules':
          '[submodule "commanded"]\n\tpath = commanded\n\turl = ext::sh -c touch% {ran}\n\tupdate = !touch {ran}\n[submodule "other"]\n\tpath = other\n\turl = http://127.0.0.1:{port}/{token}\n',
      }),
    ],
  },
  {
    name: 'Names of a repository are names',
    category: 'repository',
    runs: [{ attempts: names }],
  },
  {
    name: 'A repository whose own folder for gates and specs is a link has nothing made behind it',
    category: 'repository',
    runs: [
      linked(
        'a folder .kanman that is a link',
        { '.kanman': { link: '{mine}' } },
        { caught: both(stayedInside, endsWith('failed', 'link')) },
      ),
    ],
  },
  {
    name: 'A repository whose folder for specs is a link has nothing made behind it',
    category: 'repository',
    runs: [
      linked(
        'a folder of specs that is a link',
        { '.kanman/acceptance': { link: '{mine}' } },
        { caught: both(stayedInside, endsWith('failed', 'link')) },
      ),
    ],
  },
  {
    name: 'Gates that are a link, or do not end, are refused in words',
    category: 'repository',
    runs: [
      {
        ...linked('gates that are a link', { '.kanman/gates.yml': { link: '{mine}/keys' } }),
        stages: ['implementing', 'verifying'],
        ends: ['failed', 'gates_ran'],
      },
      {
        ...linked('gates that grow without end when they are read', {
          '.kanman/gates.yml': `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}]`).join('\n')}\ngates: *h\n`,
        }),
        ...{ stages: ['implementing', 'verifying'], ends: ['failed', 'gates_ran'] },
      },
      {
        attempts: attempts({ proves: 'Whatever a run leaves behind, the runner works again' }, [
          { name: 'keep the runner from the next order', caught: onlyPaths('greeting.txt') },
        ]),
        files: { '.kanman/gates.yml': gates("'true'") },
      },
    ],
  },
]
