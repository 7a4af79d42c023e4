import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Assessed, readinessOf, rules } from './readiness.ts'

const ready: Assessed = {
  title: 'Show the locker address in the basket',
  description:
    'Customers choose a locker by its name and then drive to the wrong one. Show street and town beside it.',
  acceptanceCriteria: [
    { text: 'The basket shows street and town of the chosen locker.' },
    { text: 'Choosing another locker changes the address at once.' },
  ],
  demonstrate: 'Choose the locker at the station; the basket shows its street.',
  size: 's',
}

test('the points of the rules add up to 100', () => {
  assert.equal(
    rules.reduce((sum, rule) => sum + rule.points, 0),
    100,
  )
})

test('a story that meets every rule is ready, and nothing is missing', () => {
  assert.deepEqual(readinessOf(ready), { score: 100, missing: [] })
})

test('each thing that is missing costs its points and is named', () => {
  const without: [Partial<Assessed>, number, RegExp][] = [
    [{ title: 'Address' }, 90, /title/],
    [{ description: 'Wrong locker.' }, 85, /description/],
    [{ acceptanceCriteria: ready.acceptanceCriteria.slice(1) }, 85, /two acceptance criteria/],
    [
      { acceptanceCriteria: [...ready.acceptanceCriteria, { text: 'The page is fast and easy to use.' }] },
      85,
      /testable/,
    ],
    [{ acceptanceCriteria: [] }, 70, /two acceptance criteria/],
    [{ demonstrate: null }, 75, /Demonstrate/],
    [{ size: null }, 90, /size/],
    [{ description: `${ready.description} TBD: which font?` }, 90, /open/],
  ]
  for (const [change, score, named] of without) {
    const found = readinessOf({ ...ready, ...change })
    assert.equal(found.score, score, JSON.stringify(change))
    assert.match(found.missing.join('; '), named)
  }
})

test('without a Demonstrate step no story is ready', () => {
  assert.ok(readinessOf({ ...ready, demonstrate: '' }).score < 100)
})

test('a story in any language is ready: words are counted where no space stands between them, and where words are joined', () => {
  const stories: Record<
    string,
    [title: string, description: string, criteria: string[], demonstrate: string]
  > = {
    Japanese: [
      'カートにロッカーの住所を表示する',
      'お客様は名前だけでロッカーを選び、間違った場所へ行ってしまいます。名前の横に通りと町を表示します。',
      ['選択したロッカーの通りと町がカートに表示される。', '別のロッカーを選ぶと住所がすぐに変わる。'],
      '駅のロッカーを選ぶと、カートに通りの名前が表示される。',
    ],
    Chinese: [
      '在购物车中显示储物柜地址',
      '顾客按名称选择储物柜,然后开车去了错误的地方。请在名称旁边显示街道和城镇。',
      ['购物车显示所选储物柜的街道和城镇。', '选择另一个储物柜时地址立即改变。'],
      '选择车站的储物柜,购物车显示它的街道。',
    ],
    Thai: [
      'แสดงที่อยู่ตู้ล็อกเกอร์ในตะกร้า',
      'ลูกค้าเลือกตู้ล็อกเกอร์ตามชื่อแล้วขับรถไปผิดที่ ให้แสดงถนนและเมืองข้างชื่อ',
      ['ตะกร้าแสดงถนนและเมืองของตู้ที่เลือก', 'เมื่อเลือกตู้อื่นที่อยู่จะเปลี่ยนทันที'],
      'เลือกตู้ที่สถานีแล้วตะกร้าแสดงถนนของตู้นั้น',
    ],
    Korean: [
      '장바구니에 보관함주소 표시',
      '고객은 이름으로 보관함을 고른 뒤 엉뚱한 곳으로 갑니다. 이름 옆에 거리와 도시를 표시합니다.',
      ['선택한 보관함의 주소가 표시된다.', '다른 보관함을 고르면 주소가 바뀐다.'],
      '역의 보관함을 고르면 장바구니에 거리가 표시된다.',
    ],
    Arabic: [
      'عرض عنوان الخزانة في السلة',
      'يختار العملاء الخزانة باسمها ثم يذهبون إلى المكان الخطأ. اعرض الشارع والمدينة بجانب الاسم.',
      ['تعرض السلة شارع ومدينة الخزانة المختارة.', 'يتغير العنوان فورا عند اختيار خزانة أخرى.'],
      'اختر خزانة المحطة فتعرض السلة اسم شارعها.',
    ],
    German: [
      'Schließfachadresse anzeigen',
      'Kundinnen wählen ein Schließfach nach seinem Namen und fahren zum falschen. Straße und Ort gehören daneben.',
      ['Der Warenkorb zeigt Straße und Ort.', 'Schließfachwechsel aktualisiert die Adresse.'],
      'Bahnhofsschließfach wählen: Der Warenkorb zeigt die Straße.',
    ],
  }
  for (const [language, [title, description, criteria, demonstrate]] of Object.entries(stories)) {
    const story = {
      ...{ title, description, demonstrate, size: 's' as const },
      acceptanceCriteria: criteria.map((text) => ({ text })),
    }
    assert.deepEqual(readinessOf(story), { score: 100, missing: [] }, language)
    assert.ok(readinessOf({ ...story, demonstrate: demonstrate.slice(0, 2) }).score < 100, language)
  }
})

test('a command is a Demonstrate step, and what is asked of one is said', () => {
  assert.equal(readinessOf({ ...ready, demonstrate: 'node src/print.js --grams 2400' }).score, 100)
  assert.equal(readinessOf({ ...ready, demonstrate: '```sh\nnpm test\n```' }).score, 100)
  assert.deepEqual(readinessOf({ ...ready, demonstrate: 'Look at it' }).missing, [
    'a Demonstrate step: a command, or at least five words on how a person can see that it works',
  ])
})
