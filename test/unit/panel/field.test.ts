import { properties } from '../../../nodes/MessagingService/operations';

test('the members of a collection are listed by their labels', () => {
	const collections = properties.filter(({ type }) => type === 'collection');
	for (const { name, options = [] } of collections) {
		const labels = options.map((option) => ('displayName' in option ? option.displayName : ''));
		const sorted = [...labels].sort((a, b) => a.localeCompare(b));
		expect([name, labels]).toEqual([name, sorted]);
	}
	expect(collections.length).toBeGreaterThan(10);
});
