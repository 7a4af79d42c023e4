import type { Question } from '../agents/question.ts'
import type { Scripts } from './model/script.ts'

/** What each agent is put through, natively and over ACP, against the scripted model. */
export const question: Question = {
  question: 'Which currency are the prices in?',
  context: 'The story names none.',
  options: [
    { id: 'euro', label: 'Euro' },
    { id: 'dollar', label: 'US dollar' },
  ],
  recommendation: 'euro',
}

export const plan = { plan: 'Add a greeting.', paths: ['greeting.txt'], risk: 'low', lines: 1 }

/** The folders are configured, never guessed from a prompt. */
export const scripts = (worktree: string, out: string): Scripts => ({
  'scenario-plan': [
    { shell: 'git status --short' },
    { write: `${out}/plan.json`, text: JSON.stringify(plan) },
    { say: 'The plan is written.' },
  ],
  'scenario-edit': [
    { write: `${worktree}/greeting.txt`, text: 'Hello.' },
    { shell: 'git status --short' },
    { say: 'The greeting is there.' },
  ],
  // The tool where the agent has it, else the file: what no tool fits is left out.
  'scenario-question': [{ ask: question }, { say: 'I wait for an answer.' }],
  'scenario-file-question': [
    { write: `${out}/question.json`, text: JSON.stringify(question) },
    { say: 'I wait for an answer.' },
  ],
  'scenario-over-budget': [{ shell: 'git status --short' }, { overBudget: true }],
  'scenario-cancel': [{ shell: `echo running > ${out}/running; sleep 30` }, { say: 'It slept.' }],
})
