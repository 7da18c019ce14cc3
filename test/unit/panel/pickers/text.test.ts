import { hasWords, toLabel } from '../../../../nodes/MessagingService/panel/pickers/text';

test.each([
	[['Sales', '+15555550100'], 'Sales · +15555550100'],
	[[' Sales ', ''], 'Sales'],
	[[null, undefined, { a: 1 }, ['x'], true, ' '], ''],
	[[42], '42'],
	[[], ''],
])('what can be shown of %j is %j', (values, label) => {
	expect(toLabel(...values)).toBe(label);
});

test.each([
	['Front desk Zürich', 'zurich'],
	['Front desk Zurich', 'ZÜRICH'],
	['Front desk Zürich', 'zürich front'],
	['Prénom', 'prenom'],
	['予約の確認', '予約'],
	['Straße', 'straße'],
	['ﬁnance', 'finance'],
	['anything', ''],
	['anything', '   '],
	['a  b', 'a b'],
])('%j has %j', (text, words) => {
	expect(hasWords(text, words)).toBe(true);
});

test.each([
	['Front desk Zürich', 'zurich sales'],
	['Sales', 'sale s x'],
	['', 'a'],
])('%j does not have %j', (text, words) => {
	expect(hasWords(text, words)).toBe(false);
});
