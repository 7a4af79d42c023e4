import { deliveryOf, type Sample } from '../sender/sample.ts'

// Without a signature, which only SNS can make.
export const sample: Sample = (told) => ({
  body: {
    Type: 'Notification',
    MessageId: deliveryOf(told),
    TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
    Subject: `${told.status === 'firing' ? 'ALARM' : 'OK'}: "${told.title}" in EU (Frankfurt)`,
    Message: JSON.stringify({
      AlarmName: told.title,
      AlarmDescription: `[${told.severity}] ${told.title}`,
      AWSAccountId: '123456789012',
      NewStateValue: told.status === 'firing' ? 'ALARM' : 'OK',
      NewStateReason: 'Threshold Crossed',
      StateChangeTime: told.at.toISOString().replace('Z', '+0000'),
      Region: 'EU (Frankfurt)',
      AlarmArn: `arn:aws:cloudwatch:eu-central-1:123456789012:alarm:${told.title}`,
    }),
    Timestamp: told.at.toISOString(),
  },
  headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' },
})
