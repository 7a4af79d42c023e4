/**
 * What a finding is about. A policy can let each pass without asking a person; contract/guard/findings.ts makes them.
 */
export const findingKinds = [
  'ci',
  'hooks',
  'editor',
  'toolchain',
  'container',
  'build',
  'mcp',
  'agents',
  'registry',
  'sources',
  'install',
  'gates',
  'checks',
  'measure',
  'tests_deleted',
  'tests_skipped',
  'review',
  'attributes',
  'submodules',
  'hidden_text',
  'lookalike_text',
  'name',
  'program',
  'binary',
  'mode',
  'size',
] as const
export type FindingKind = (typeof findingKinds)[number]

/** Something about a change that its reviewer should know. */
export interface Finding {
  kind: FindingKind
  /** As git has it; a folder, with a slash at its end, where many of one kind are told together. */
  path: string
  /** A whole sentence, with the path as people see it. */
  says: string
}

/** Those that a person is asked about: every kind that the policy does not let pass. It can let pass none but these. */
export const openKinds = <K extends string>(kinds: readonly K[], allowed: readonly FindingKind[] = []): K[] =>
  kinds.filter((kind) => !findingKinds.some((known) => known === kind && allowed.includes(known)))

export const findingGroups = {
  runs: 'What runs automatically',
  agents: 'Coding agents',
  dependencies: 'Dependencies',
  control: 'How changes are checked and reviewed',
  content: 'What is hard to review',
} as const
export type FindingGroup = keyof typeof findingGroups

/** In the words of the app and the manual. */
export interface KindWords {
  group: FindingGroup
  /** What a change touches. */
  label: string
  covers: string
  why: string
}

export const findingWords: Record<FindingKind, KindWords> = {
  ci: {
    group: 'runs',
    label: 'CI pipelines',
    covers: 'Workflow and pipeline files of GitHub, GitLab, Jenkins and other CI systems.',
    why: 'They run with the secrets of the repository, often before anyone has reviewed the change.',
  },
  hooks: {
    group: 'runs',
    label: 'Git hooks',
    covers: 'Hooks and their managers, such as Husky, Lefthook and pre-commit.',
    why: 'They run on the computer of everyone who commits, pushes or checks out.',
  },
  editor: {
    group: 'runs',
    label: 'Editor tasks and settings',
    covers:
      'Tasks, launch configurations and workspace settings of VS Code, JetBrains IDEs, Zed, Vim and others.',
    why: 'An editor can start programs from them as soon as someone opens the folder.',
  },
  toolchain: {
    group: 'runs',
    label: 'Shell environments and toolchains',
    covers: 'Files that direnv, mise, asdf, Nix, rustup and similar tools load.',
    why: 'They run code or swap the tools themselves when someone enters the folder.',
  },
  container: {
    group: 'runs',
    label: 'Containers and dev environments',
    covers: 'Dev containers, Dockerfiles, Compose files, Vagrantfiles and cloud workspaces.',
    why: 'They say what runs when the environment is built or opened, and what it can reach on the host.',
  },
  build: {
    group: 'runs',
    label: 'Build scripts',
    covers: 'Makefiles, task runners, build files, and the scripts of a package.',
    why: 'Building or testing the project runs them, so they also change what is measured.',
  },
  mcp: {
    group: 'agents',
    label: 'MCP servers',
    covers: 'Files that tell coding agents and editors which MCP servers to use.',
    why: 'They start programs and give agents new tools, with the rights of the person who opens the project.',
  },
  agents: {
    group: 'agents',
    label: 'Agent settings and instructions',
    covers: 'Settings, hooks, permissions, skills and instruction files of coding agents, in any folder.',
    why: 'The next agent that works here follows them: a change can give it other orders or more rights.',
  },
  registry: {
    group: 'dependencies',
    label: 'Package manager settings',
    covers: 'Configuration of npm, pnpm, Yarn, Bun, pip, Cargo, Maven, Gradle, NuGet, Bundler and others.',
    why: 'They say where packages come from, which scripts may run and which credentials are sent.',
  },
  sources: {
    group: 'dependencies',
    label: 'New download sources',
    covers:
      'Lock files and manifests that name a host, or an account at a code host, that they did not name before; lock files that cannot be read or were deleted.',
    why: 'A package with the same name from another source is a different package.',
  },
  install: {
    group: 'dependencies',
    label: 'Install scripts',
    covers:
      'Scripts that run when a package is installed: its own, those of dependencies where the lock file shows them, and build wrappers.',
    why: 'They run on every computer that installs the project, and in CI.',
  },
  gates: {
    group: 'control',
    label: 'Gates',
    covers: 'The definition of the gates in `.kanman`.',
    why: 'Later runs are measured by them.',
  },
  checks: {
    group: 'control',
    label: 'Test and linter settings',
    covers: 'Configuration of test runners, coverage, linters, formatters, compilers and type checkers.',
    why: 'A check that looks at less lets more through.',
  },
  measure: {
    group: 'control',
    label: 'Other results than on the main branch',
    covers:
      'Fewer tests or more skipped ones than on the main branch, and gates that would run differently from now on.',
    why: 'The change passes, but less was checked.',
  },
  tests_deleted: {
    group: 'control',
    label: 'Deleted tests',
    covers: 'Test files that were deleted. Moving one doesn’t count.',
    why: 'What is not tested cannot fail.',
  },
  tests_skipped: {
    group: 'control',
    label: 'Skipped tests',
    covers: 'Tests that are now skipped, or files that now run only some of their tests.',
    why: 'What is not tested cannot fail.',
  },
  review: {
    group: 'control',
    label: 'Code owners and merge rules',
    covers: 'CODEOWNERS, and settings of bots that review, update or merge.',
    why: 'They decide who has to look at later changes.',
  },
  attributes: {
    group: 'control',
    label: 'Git attributes',
    covers: '`.gitattributes`, in any folder.',
    why: 'They can hide changes from reviewers and name programs that git runs.',
  },
  submodules: {
    group: 'control',
    label: 'Submodules',
    covers:
      '`.gitmodules`, and the commit that a submodule points to. Refused unless a person has allowed the path.',
    why: 'They bring in code from another repository that is not in the diff.',
  },
  hidden_text: {
    group: 'content',
    label: 'Hidden characters',
    covers:
      'New lines with bidirectional controls, zero-width and other invisible characters, control characters or hidden line breaks.',
    why: 'What a reviewer sees is not what a compiler or an agent reads.',
  },
  lookalike_text: {
    group: 'content',
    label: 'Look-alike letters in words',
    covers: 'New words that mix Latin letters with letters of other scripts that look the same.',
    why: 'Two names that look the same can be two different things.',
  },
  name: {
    group: 'content',
    label: 'Misleading file names',
    covers: 'New files whose names look like others, mix scripts, hide letters or contain a backslash.',
    why: 'A reviewer can mistake one file for another.',
  },
  program: {
    group: 'content',
    label: 'Compiled programs',
    covers: 'Files that begin like programs: ELF, Windows, Mach-O, WebAssembly, Java and Python bytecode.',
    why: 'They can do anything, and no one can review them.',
  },
  binary: {
    group: 'content',
    label: 'Other binary files',
    covers: 'New and changed files that are not text, such as images, fonts, archives and databases.',
    why: 'A diff does not show what is in them.',
  },
  mode: {
    group: 'content',
    label: 'Executable files and links',
    covers: 'New executables, files that became or stopped being executable, new and changed links.',
    why: 'What can be executed or leads elsewhere is easily missed in a diff.',
  },
  size: {
    group: 'content',
    label: 'Large files',
    covers: 'Files over 5 MB, and changes too large for every file to be checked.',
    why: 'Nothing inside them was checked.',
  },
}
