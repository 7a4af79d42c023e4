import type { DemoStory } from '../../script.ts'
import { list, paragraphs, steps } from '../../shorthand/text.ts'
import { jira } from '../../shorthand/trackers.ts'

const issue = jira('FW')

export const stories: DemoStory[] = [
  {
    number: 2,
    title: 'Refuse unsigned firmware images at boot',
    description:
      'The boot loader checks the checksum of an image but not its signature. Anyone with access to the service port of a station could install modified firmware. Verify the Ed25519 signature against the key in the boot area and fall back to the previous image when it does not match.',
    acceptanceCriteria: [
      'An image without a signature is not started.',
      'An image with a wrong signature is not started and the previous image boots.',
      'The refusal is written to the boot log with image version and reason.',
    ],
    demonstrate: steps(
      'Flash `test/images/unsigned.bin` on the bench station.',
      'Power cycle: the station boots the previous version, `bootlog` shows `signature_missing`.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'high' },
    tracker: issue(118),
    minutesAgo: { created: 13_150, updated: 12_498 },
  },
  {
    number: 4,
    title: 'Publish a signed manifest for each firmware build',
    description:
      'Stations discover a new version by a file name in a bucket. A manifest with version, size, hash, minimum boot loader and signature is needed before we can roll out in rings (LOCK-7).',
    acceptanceCriteria: [
      'Each release build publishes `manifest.json` with version, size, SHA-256 and minimum boot loader.',
      'The manifest is signed; `fwctl verify` accepts it and refuses a changed one.',
      'A build whose manifest cannot be signed fails and publishes nothing.',
    ],
    demonstrate: steps(
      'Run `make release VERSION=2.13.0-test` on the build machine.',
      '`fwctl verify out/manifest.json` prints `ok`; change one byte: it prints `bad signature`.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(121),
    minutesAgo: { created: 13_140, updated: 11_206 },
  },
  {
    number: 5,
    title: 'Log why a door doesn’t open',
    description:
      'The gateway stores `open_failed` without a reason. Field service drives out every time, although half the cases are a blocked door that the next recipient frees. Report motor current, sensor state and number of tries.',
    acceptanceCriteria: [
      'Each failed opening reports one of `motor_stalled`, `sensor_conflict`, `no_power`, `unknown`.',
      'The report carries motor current and number of tries.',
      'Stations with older firmware are still accepted; their reason is `unknown`.',
    ],
    demonstrate: steps(
      'Block door 7 of the bench station and request an opening.',
      'The gateway log shows `open_failed door=7 reason=motor_stalled tries=3`.',
    ),
    columnRole: 'done',
    estimate: { size: 's', complexity: 'medium' },
    tracker: issue(124),
    minutesAgo: { created: 13_130, updated: 10_386 },
  },
  {
    number: 6,
    title: 'Debounce the door sensor in cold weather',
    description:
      'Below about minus 10 °C the reed contact bounces for up to 400 ms and a closed door is reported as open. The firmware filters 50 ms. The new value must come from the data sheet of the sensor revision in use since spring.',
    acceptanceCriteria: [
      'A bounce of up to 400 ms does not change the reported door state.',
      'A real opening is reported within 600 ms.',
      'The filter time is part of the station configuration with a default of 450 ms.',
    ],
    demonstrate: steps(
      'Replay `traces/door-bounce-minus-12.csv` on the simulator: no state change.',
      'Replay `traces/door-open.csv`: `open` is reported within 600 ms.',
    ),
    columnRole: 'ready',
    estimate: { size: 's', complexity: 'medium' },
    classOfService: 'fixed_date',
    tracker: issue(127),
    minutesAgo: { created: 13_000, updated: 2_310 },
  },
  {
    number: 7,
    title: 'Roll firmware out in rings of 1, 10 and 100 percent',
    description: paragraphs(
      'A new version goes to all 2,140 stations at the same time. The heartbeat regression reached every station in 20 minutes. Roll out in three rings, with a waiting time and a health check between them.',
      list(
        'Ring by hash of the station id, so that a station stays in its ring.',
        'Health: heartbeat loss, failed openings and restarts compared with the previous version.',
      ),
    ),
    acceptanceCriteria: [
      'A release starts with 1% of the stations and proceeds to 10% and 100% only after the health check.',
      'The rollout stops automatically when heartbeat loss exceeds 1% in a ring.',
      'An operator can continue a stopped rollout or roll it back.',
      'A station is in the same ring for each release.',
    ],
    demonstrate: steps(
      'Start a rollout on the simulator fleet (500 stations): 5 stations update.',
      'Let 2 of them lose heartbeats: the rollout stops and `fwctl rollout status` names the reason.',
      'Roll it back: the 5 stations report the previous version.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'l', complexity: 'high' },
    tracker: issue(130),
    minutesAgo: { created: 12_990, updated: 900 },
  },
  {
    number: 8,
    title: 'Keep the last three firmware images for rollback',
    description:
      'A station holds the running and the previous image. After two bad versions in a row, a technician has to drive out. Now that the log has its own partition, flash has room for three images.',
    acceptanceCriteria: [
      'A station holds the running image and the two before it.',
      '`fwctl rollback --to <version>` starts each of the two older images.',
      'When flash runs low, the oldest image is removed first, never the running one.',
    ],
    demonstrate: steps(
      'Install 2.11, 2.12 and 2.13 on the bench station.',
      'Roll back to 2.11: the station reports 2.11 after one restart.',
    ),
    columnRole: 'done',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(134),
    minutesAgo: { created: 12_100, updated: 7_476 },
  },
  {
    number: 9,
    title: 'Send heartbeats every 60 seconds instead of every 15',
    description:
      'Heartbeats are 71% of the mobile data of a station. One per minute is enough for monitoring. The first attempt was merged and reverted, because the gateway still marks a station as lost after 45 s. The gateway must first learn the interval from the station.',
    acceptanceCriteria: [
      'A station sends one heartbeat every 60 s, plus one at each change of state.',
      'Mobile data per idle station is below 3 MB per day.',
      'The gateway reports no running station as lost.',
    ],
    verifiedAgain: { minutesAgo: 9_012, failed: ['ac-3'] },
    demonstrate: steps(
      'Run the simulator with 50 stations for ten minutes: no station is reported as lost.',
      'Switch one off: it is reported as lost within 180 s.',
    ),
    columnRole: 'backlog',
    estimate: { size: 's', complexity: 'medium' },
    tracker: issue(137),
    minutesAgo: { created: 11_500, updated: 8_960 },
  },
  {
    number: 10,
    title: 'Send firmware as a delta against the installed image',
    description:
      'An image is 6.2 MB, and a full rollout over the mobile network costs about €900. Consecutive versions differ by 4 to 9%. Send a block delta if the station runs the version it was made for, and the full image otherwise.',
    acceptanceCriteria: [
      'A station on the previous version receives a delta and ends with the same SHA-256 as a full update.',
      'A station on any other version receives the full image.',
      'An interrupted delta leaves the running image untouched.',
      'The delta from 2.13.0 to 2.14.0 is smaller than 700 kB.',
    ],
    demonstrate: steps(
      'Update the bench station from 2.13.0 to 2.14.0: the gateway log shows less than 700 kB sent.',
      'Cut the power at 50%: the station boots 2.13.0 and continues.',
    ),
    columnRole: 'review',
    estimate: { size: 'l', complexity: 'high' },
    tracker: issue(141),
    minutesAgo: { created: 10_900, updated: 1_020 },
  },
  {
    number: 11,
    title: 'Report battery health once a day',
    description:
      'A station’s buffer battery is replaced every three years, whatever its condition. The charge controller knows its capacity and number of cycles. Report both once a day, so that field service replaces only what needs replacing.',
    acceptanceCriteria: [
      'Each station reports capacity in percent and number of cycles once in 24 hours.',
      'The report is spread over the day by station id.',
      'A controller that does not answer is reported as `unavailable`, not as 0%.',
    ],
    demonstrate: steps(
      'Set the controller stub to 78% and 412 cycles and advance the clock by a day.',
      'The gateway stores one report with these values.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 's', complexity: 'low' },
    tracker: issue(145),
    minutesAgo: { created: 10_000, updated: 14 },
  },
  {
    number: 12,
    title: 'Open a compartment offline with a one-time code',
    description:
      'A station that is offline can’t open for anyone. Derive a list of one-time codes per day that station and backend know. Open question: how long may a station be offline before the codes of a returned parcel become a risk?',
    acceptanceCriteria: [
      'With the network cut, a valid code opens exactly the compartment it belongs to.',
      'A used code does not open again, even after a restart.',
      'Openings made offline are reported when the network returns.',
    ],
    demonstrate: steps(
      'Cut the network of the bench station and enter the code of the day for door 3.',
      'Door 3 opens; the second try is refused; after reconnecting the gateway shows one opening.',
    ),
    columnRole: 'refining',
    estimate: { size: 'l', complexity: 'high' },
    tracker: issue(149),
    minutesAgo: { created: 9_200, updated: 3_020 },
  },
  {
    number: 13,
    title: 'Show the state of each door in the depot screen',
    description:
      'The depot screen shows a station as "online" even when some doors are out of order, so vans arrive with parcels that don’t fit. Show free, occupied and defective doors per station.',
    acceptanceCriteria: [
      'The depot screen shows the number of free, occupied and defective doors per station.',
      'A door that fails three openings in a row counts as defective.',
      'The numbers are at most 60 s old.',
    ],
    demonstrate: steps(
      'Open station HP-0417 in the depot screen: 18 free, 5 occupied, 1 defective.',
      'Free the defective door on the bench: the numbers change within a minute.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 'm', complexity: 'medium' },
    tracker: issue(152),
    minutesAgo: { created: 8_400, updated: 620 },
  },
  {
    number: 14,
    title: 'Test the lock motors at night',
    description:
      'We notice a weak motor only when a recipient is standing in front of it. Move the lock of each empty compartment once a night, without opening the door, and report current and duration.',
    acceptanceCriteria: [
      'Each empty compartment is tested once between 02:00 and 04:00 station time.',
      'No test runs while a recipient uses the station.',
      'Current and duration of each test are reported.',
    ],
    columnRole: 'backlog',
    estimate: { size: 'm', complexity: 'medium' },
    classOfService: 'intangible',
    tracker: issue(156),
    minutesAgo: { created: 7_700, updated: 7_650 },
  },
  {
    number: 15,
    title: 'Read the station certificate from the secure element',
    description:
      'A station’s client certificate is stored in flash. Newer boards have a secure element. Read the certificate from there when it is present; stations without one keep the file. Returned to Backlog: the change may not touch the key area, so it needs a separate provisioning step first.',
    acceptanceCriteria: [
      'A board with a secure element never reads the private key into memory.',
      'A board without one works as before.',
      'The source of the certificate is shown by `fwctl info`.',
    ],
    demonstrate: steps(
      'Start a revision D board: `fwctl info` shows `certificate: secure element`.',
      'Start a revision B board: it shows `certificate: flash` and connects.',
    ),
    columnRole: 'backlog',
    estimate: { size: 'm', complexity: 'high' },
    tracker: issue(163),
    minutesAgo: { created: 6_000, updated: 4_390 },
  },
  {
    number: 16,
    title: 'Detect a blocked door within ten seconds',
    description:
      'A door held open by an oversized parcel is reported after two minutes, when the recipient has left. Detect it while they’re still there, and say so on the display.',
    acceptanceCriteria: [
      'A door that is open for more than ten seconds after the closing request shows the message "Door blocked".',
      'The message disappears within two seconds after the door is closed.',
    ],
    columnRole: 'refining',
    draft: true,
    estimate: { size: 's', complexity: 'medium' },
    minutesAgo: { created: 3_500, updated: 1_710 },
  },
  {
    number: 17,
    title: 'Hold the watchdog reset while a door is open',
    description:
      'When the watchdog fires while a door is open, the station restarts and forgets which recipient opened it. Seven parcels were booked to the wrong recipient this quarter. Delay the reset until the door is closed, at most 90 s.',
    acceptanceCriteria: [
      'With a door open the watchdog reset waits until it is closed, at most 90 s.',
      'After a reset with an open door the opening is still booked to the same recipient.',
      'A delayed reset is counted in the daily report.',
    ],
    demonstrate: steps(
      'Open door 2 on the bench station and run `fwctl debug hang`.',
      'Close the door after 30 s: the station restarts then, and the booking names the recipient.',
    ),
    columnRole: 'in_progress',
    estimate: { size: 's', complexity: 'high' },
    tracker: issue(171),
    minutesAgo: { created: 2_400, updated: 4 },
  },
]
