import { incidentKey } from '@signalbox/contract/keys.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { Type } from 'typebox'
import { addNote } from '../../../domain/on-call/incidents/add-note.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, takes, text, tool, url, writes } from '../calls/tool.ts'

export const noteIncident = tool({
  name: 'note_incident',
  title: 'Add a note to an incident',
  description:
    'Adds a note to the timeline of an incident, in your user’s name, and posts it to its chat channels. It works on resolved incidents too.',
  toolset: 'oncall',
  hints: writes('openWorld'),
  input: takes({ incident: incidentKey, text: text('What to note.', maxNoteLength) }),
  output: gives({ incident: incidentKey, noted: Type.Boolean(), url }),
  outside: [],
  async call(call, { incident, text }) {
    await addNote(call.ctx, incident, text)
    return { incident, noted: true, url: await appUrl(call, 'incidents', incident) }
  },
})
