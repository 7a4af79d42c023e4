/** How long, how many, how much. No schema here: the app takes these values too. */

/** Of a person, team, service, source or passkey. */
export const maxNameLength = 100
/** Of a workspace or a token. */
export const maxShortNameLength = 80
/** Networks from which a workspace is used, and how long one is written. */
export const mostNetworks = 100
/** Of a workspace, so that one can be replaced while others are in use. */
export const maxScimTokens = 5
export const maxNetworkLength = 64
export const maxSlugLength = 64
/** What the keys of a team's stories begin with. */
export const maxKeyPrefixLength = 10
export const maxEmailLength = 254
export const passwordLength = { least: 10, most: 200 }
/** Of what a sender and the product share. */
export const secretLength = { least: 16, most: 500 }

/** Of a note, an answer, a comment or guidance: what one person tells another, or an agent. */
export const maxNoteLength = 4_000
/** Of a team's description, and of why something was changed. */
export const maxReasonLength = 1_000
export const maxSearchLength = 200
export const maxPaletteSearchLength = 100

export const maxRequirementLength = 20_000
export const storyLengths = {
  title: 200,
  description: 50_000,
  criterion: 1_000,
  demonstrate: 10_000,
  testPlan: 10_000,
}
export const maxCriteria = 30

/** Of any number in a policy. */
export const maxPolicyNumber = 1_000_000_000
export const maxPathLength = 500
export const maxRepositories = 20
export const maxRunnerLabels = 20
export const maxRunnerLabelLength = 40

/** Between two signs of life on a stream of events to a page. */
export const heartbeatMs = 10_000

/** Of the address that events are sent to. */
export const maxWebhookUrlLength = 2_000
export const maxWebhookEndpoints = 50

/** What an uptime check is unless told otherwise, and from where to where its numbers go. */
export const uptimeDefaults = {
  intervalSeconds: 60,
  timeoutSeconds: 10,
  statuses: [200],
  text: null,
  failures: 2,
}
export const uptimeRanges = {
  intervalSeconds: { least: 10, most: 86_400 },
  timeoutSeconds: { least: 1, most: 60 },
  failures: { least: 1, most: 10 },
}
export const maxUptimeTextLength = 1_000

/** A decision is put off for as long at most. */
export const maxSnoozeDays = 90

/** Of the board: how many stories are moved at a time, and how many views one person saves in a workspace. */
export const maxMovedTogether = 200
export const maxViews = 50
export const maxViewNameLength = 60

/** The inbox reads what waits in one answer: the live stream makes it be read again and again, and pages would queue. */
export const maxInboxPage = 500

/** What GitHub wants created at most, by one account. It says so in its documentation, and refuses more. */
export const writesPerMinute = 80
export const writesPerHour = 500
