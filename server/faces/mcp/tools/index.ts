import type { AnyTool } from '../calls/tool.ts'
import { acknowledgeIncident } from './acknowledge-incident.ts'
import { answerQuestions } from './answer-questions.ts'
import { approveDraft } from './approve-draft.ts'
import { beginWork } from './begin-work.ts'
import { createStory } from './create-story.ts'
import { getContext } from './get-context.ts'
import { getDecision } from './get-decision.ts'
import { getDiff } from './get-diff.ts'
import { getIncident } from './get-incident.ts'
import { getRequirement } from './get-requirement.ts'
import { getRun } from './get-run.ts'
import { getSpend } from './get-spend.ts'
import { getStory } from './get-story.ts'
import { getTeam } from './get-team.ts'
import { giveBack } from './give-back.ts'
import { handOff } from './hand-off.ts'
import { listDecisions } from './list-decisions.ts'
import { listIncidents } from './list-incidents.ts'
import { listRuns } from './list-runs.ts'
import { listStories } from './list-stories.ts'
import { moveStory } from './move-story.ts'
import { noteIncident } from './note-incident.ts'
import { pauseTeam } from './pause-team.ts'
import { rejectDraft } from './reject-draft.ts'
import { reportEvidence } from './report-evidence.ts'
import { reportProgress } from './report-progress.ts'
import { requestHumanInput } from './request-human-input.ts'
import { resolveDecision } from './resolve-decision.ts'
import { resolveIncident } from './resolve-incident.ts'
import { resumeTeam } from './resume-team.ts'
import { retryRun } from './retry-run.ts'
import { searchAudit } from './search-audit.ts'
import { stopRun } from './stop-run.ts'
import { submitRequirements } from './submit-requirements.ts'
import { updatePolicy } from './update-policy.ts'
import { updateStory } from './update-story.ts'
import { writeDrafts } from './write-drafts.ts'

/** Every tool, in the order in which clients list them. Creating tokens is none: a secret does not belong in a model's context. */
export const tools: AnyTool[] = [
  getContext,
  listStories,
  getStory,
  createStory,
  updateStory,
  moveStory,
  beginWork,
  reportProgress,
  reportEvidence,
  handOff,
  giveBack,
  requestHumanInput,
  listDecisions,
  getDecision,
  resolveDecision,
  listRuns,
  getRun,
  getDiff,
  stopRun,
  retryRun,
  submitRequirements,
  getRequirement,
  answerQuestions,
  approveDraft,
  rejectDraft,
  writeDrafts,
  getTeam,
  pauseTeam,
  resumeTeam,
  updatePolicy,
  getSpend,
  listIncidents,
  getIncident,
  noteIncident,
  acknowledgeIncident,
  resolveIncident,
  searchAudit,
]
