import { Problem } from '../../../../nodes/MessagingService/nodeError';
import { reasonOf, refuse } from '../../../../nodes/MessagingService/trigger/verification/refusal';

test('what refuses a call, or keeps it from being verified, is the reason', () => {
	expect(reasonOf(() => refuse('no signature'))).toBe('no signature');
	const problem = new Problem('The key is none', 'Copy it again.');
	expect(
		reasonOf(() => {
			throw problem;
		}),
	).toBe('The key is none');
	expect(reasonOf(() => {})).toBeUndefined();
});

test('a mistake of this package is no reason', () => {
	const verify = () => {
		throw new TypeError('not a function');
	};
	expect(() => reasonOf(verify)).toThrow(TypeError);
});
