import { withoutInvisible } from '../../../nodes/MessagingService/api/invisible';

test.each([
	['a space of no width', '\u200b'],
	['a byte order mark', '\ufeff'],
	['a soft hyphen', '\u00ad'],
	['a joiner', '\u034f'],
	['variation selectors', '\ufe0d\ufe0f\u{e0100}'],
	['fillers', '\u3164\u115f\uffa0'],
	['marks of the direction', '\u202a\u202c\u2066\u061c'],
])('%s is left out', (_name, characters) => {
	expect(withoutInvisible(`lead${characters} 7`)).toBe('lead 7');
});

test('what is seen stays', () => {
	const text = 'Zo\u00eb \u5f20 \u0661\u00a0\u2003+1\t-';
	expect(withoutInvisible(text)).toBe(text);
});
