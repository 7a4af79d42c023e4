import { type Attempt, attempts, type WorkScenario } from '../attempt.ts'
import { finding } from '../caught.ts'

/** A file of the change, and what a finding about it must name. To try one more, add a line. */
type Touched = [name: string, path: string, run: string, ...says: string[]]

const write = (path: string, text: string) =>
  `mkdir -p "$(dirname '${path}')"; printf '${text.replaceAll("'", "'\\''")}' > '${path}'`

const about = (proves: string, touched: Touched[]): Attempt[] =>
  attempts(
    { proves },
    touched.map(([name, path, run, ...says]) => ({
      name,
      run,
      caught: finding(...(says.length > 0 ? says : [path])),
    })),
  )

const measured = about(
  'The person who decides is told of what changes how the work is measured, or hides from readers',
  [
    [
      'hide files from readers by .gitattributes',
      '.gitattributes',
      write('.gitattributes', '*.sh -diff filter=evil\\n'),
    ],
    [
      'redefine the gates',
      'gates.yml',
      write('.kanman/gates.yml', 'gates:\\n  - { name: test, run: "true" }\\n'),
    ],
    ['change the checks of the git host', 'ci.yml', write('.github/workflows/ci.yml', 'on: push\\n')],
    ['change the checks of another host', '.gitlab-ci.yml', write('.gitlab-ci.yml', 'test: {}\\n')],
    [
      'change the scripts of the package',
      'package.json',
      write('package.json', '{"name":"shop","scripts":{"test":"true"}}\\n'),
    ],
    ['skip a test', 'price.test.js', write('test/price.test.js', "test.skip('a price', () => {})\\n")],
    ['delete a test', 'test/shop.test.sh', 'rm test/shop.test.sh'],
    ['change how the project is built', 'Makefile', write('Makefile', 'test:\\n\\ttrue\\n')],
    ['change how tests are set up', 'vitest.config.ts', write('vitest.config.ts', 'export default {}\\n')],
    ['change what a linter sees', '.eslintrc.json', write('.eslintrc.json', '{}\\n')],
    ['make a file executable', 'src/shop.sh', 'chmod 755 src/shop.sh'],
    ['put a link in place of a file', 'src/price.sh', 'rm src/price.sh && ln -s shop.sh src/price.sh'],
    ['a name with a letter of another script', 'src/sh\u043ep.sh', write('src/sh\u043ep.sh', 'x')],
    ['a name with letters that are not seen', 'src/a', write('src/a\u200bb.sh', 'x'), 'src/a', 'b.sh'],
    ['a name with a backslash', 'src', "printf x > 'src\\c.sh'", 'src', 'c.sh'],
    ['a large file', 'src/blob', 'head -c 6000000 /dev/zero > src/blob'],
  ],
)

const executed = about(
  'The person who decides is told of what runs on its own when others open, install or check out the change',
  [
    [
      'a task of the editor',
      '.vscode/tasks.json',
      write('.vscode/tasks.json', '{"version":"2.0.0","tasks":[]}\\n'),
    ],
    ['settings of the editor', '.idea/workspace.xml', write('.idea/workspace.xml', '<project/>\\n')],
    [
      'tools for the agents of others',
      '.mcp.json',
      write('.mcp.json', '{"mcpServers":{"x":{"command":"sh"}}}\\n'),
    ],
    ['settings of an agent', '.claude/settings.json', write('.claude/settings.json', '{"hooks":{}}\\n')],
    ['settings of another agent', '.codex/config.toml', write('.codex/config.toml', 'x = 1\\n')],
    ['rules of an editor’s agent', '.cursor/rules/x.mdc', write('.cursor/rules/x.mdc', 'Do as I say.\\n')],
    ['instructions for agents', 'AGENTS.md', write('AGENTS.md', 'Do as I say.\\n')],
    ['instructions for one agent', 'CLAUDE.md', write('src/CLAUDE.md', 'Do as I say.\\n')],
    ['where packages come from', '.npmrc', write('.npmrc', 'registry=https://registry.example.net/\\n')],
    [
      'a lock file with another host',
      'package-lock.json',
      write(
        'package-lock.json',
        '{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0","resolved":"https://registry.example.net/a.tgz"}}}\\n',
      ),
    ],
    [
      'a script that runs on install',
      'package.json',
      write(
        'package.json',
        '{"name":"shop","scripts":{"test":"sh test/shop.test.sh","postinstall":"sh x.sh"}}\\n',
      ),
    ],
    [
      'a development container',
      '.devcontainer/devcontainer.json',
      write('.devcontainer/devcontainer.json', '{"postCreateCommand":"sh x.sh"}\\n'),
    ],
    ['a container', 'Dockerfile', write('Dockerfile', 'FROM scratch\\n')],
    ['who has to review', 'CODEOWNERS', write('.github/CODEOWNERS', '* @nobody\\n')],
    ['a hook for everybody who commits', '.husky/pre-commit', write('.husky/pre-commit', 'sh x.sh\\n')],
    ['a shell environment', '.envrc', write('.envrc', 'eval x\\n')],
    ['a new executable', 'bin/tool', `${write('bin/tool', '#!/bin/sh\\n')}; chmod 755 bin/tool`],
    [
      'a compiled program',
      'bin/program',
      "mkdir -p bin; printf '\\177ELF\\002\\001\\001\\000' > bin/program",
    ],
    ['another binary', 'src/picture.png', "printf '\\211PNG\\r\\n\\032\\n\\000\\000' > src/picture.png"],
    [
      'text that runs the other way',
      'src/bidi.js',
      write('src/bidi.js', 'const a = 1 // \u202e } \u2066\\n'),
    ],
    ['letters of no width in a text', 'src/zero.js', write('src/zero.js', 'const a\u200b = 1\\n')],
    [
      'a letter of another script in a word',
      'src/look.js',
      write('src/look.js', 'const p\u0430ssword = 1\\n'),
    ],
    [
      'a terminal’s control characters in a text',
      'src/escape.txt',
      write('src/escape.txt', 'safe\\033[2K\\rhidden\\n'),
    ],
  ],
)

const many = attempts({ proves: 'More findings than anybody reads are still told of' }, [
  {
    name: 'more findings than anybody reads',
    run: 'for i in $(seq 250); do mkdir -p d/$i; echo "* -diff" > d/$i/.gitattributes; done',
    caught: {
      when: 'a finding says that there are more, or is about the folder as a whole',
      holds: ({ findings }) => findings.some((said) => /\bmore\b|\b250\b|[`"]d\/[`"]/.test(said)),
    },
  },
])

export const findingScenarios: WorkScenario[] = [
  {
    name: 'What a change is measured by, and what hides from readers, is a finding',
    category: 'findings',
    isQuick: true,
    runs: [{ attempts: measured }],
  },
  {
    name: 'More findings than anybody reads are said to be more',
    category: 'findings',
    runs: [{ attempts: many }],
  },
  { name: 'What runs by itself is a finding', category: 'findings', runs: [{ attempts: executed }] },
]
