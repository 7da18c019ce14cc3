import { BlockList, isIP } from 'node:net';

import fc from 'fast-check';
import {
	isInAny,
	parseNetwork,
} from '../../../../nodes/MessagingService/trigger/options/addresses';

const listOf = (text: string) => {
	const networks = text.split(', ').map((entry) => {
		const network = parseNetwork(entry);
		if (network) return network;
		throw new Error(`"${entry}" is wrong`);
	});
	return { has: (address: string) => isInAny(networks, address) };
};

/** What Node.js says: an IPv4 address is the same as its place among those of IPv6. */
function isInByNode(network: string, prefix: number, address: string): boolean {
	const list = new BlockList();
	list.addSubnet(network, prefix, isIP(network) === 6 ? 'ipv6' : 'ipv4');
	return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

const bits = fc.integer({ min: 0, max: 0xffff_ffff });
const v4 = fc.ipV4();
const v6 = fc.ipV6();

/** An address of IPv4 that agrees with another one in its first bits, and maybe in more. */
const neighbour = (address: string, prefix: number, noise: number) => {
	const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
	const mask = prefix === 32 ? 0 : 0xffff_ffff >>> prefix;
	const changed = (number ^ (noise & mask)) >>> 0;
	return [24, 16, 8, 0].map((shift) => (changed >>> shift) & 255).join('.');
};

test.each([
	['192.0.2.10', '192.0.2.10', true],
	['192.0.2.10', '192.0.2.11', false],
	['192.0.2.10, 198.51.100.7', '198.51.100.7', true],
	['192.0.2.0/24', '192.0.2.255', true],
	['192.0.2.0/24', '192.0.3.0', false],
	['192.0.2.77/24', '192.0.2.1', true],
	['192.0.2.10/32', '192.0.2.10', true],
	['0.0.0.0/0', '203.0.113.1', true],
	['0.0.0.0/0', '2001:db8::1', false],
	['::/0', '2001:db8::1', true],
	['192.0.2.10', '::ffff:192.0.2.10', true],
	['192.0.2.0/24', '::ffff:c000:20a', true],
	['::ffff:192.0.2.10', '192.0.2.10', true],
	['::ffff:192.0.2.0/120', '192.0.2.10', true],
	['2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
	['2001:db8::/32', '2001:db8:ffff::1', true],
	['2001:db8::/32', '2001:db9::1', false],
	['2001:db8::/127', '2001:db8::1', true],
	['2001:db8::/127', '2001:db8::2', false],
	['fe80::1', 'fe80::1%eth0', true],
	['fe80::1%eth0', 'fe80::1', true],
	['fe80::%eth0/10', 'fe80::1%lo', true],
	['::1', '127.0.0.1', false],
	['127.0.0.1', '::1', false],
	['::', '::', true],
	['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8', true],
	['64:ff9b::192.0.2.33', '64:ff9b::c000:221', true],
])('%s: %s is in it: %s', (text, address, isIn) => {
	expect(listOf(text).has(address)).toBe(isIn);
});

test.each([
	'',
	'localhost',
	'192.0.2',
	'192.0.2.256',
	'192.0.2.1.1',
	'192.0.2.10/24',
	'192.0.2.10:443',
	' 192.0.2.10',
	'2001:db8::1::',
	'null',
	'undefined',
	'3221225994',
	'0xc000020a',
])('what is no address is in no list: %j', (address) => {
	expect(listOf('0.0.0.0/0, ::/0, 192.0.2.10').has(address)).toBe(false);
});

test.each([
	'example.com',
	'192.0.2',
	'192.0.2.256',
	'192.0.2.-1',
	'192.0.2.1e1',
	'192.0.2.010',
	'192.0.2.0/33',
	'192.0.2.0/-1',
	'192.0.2.0/',
	'192.0.2.0/24/8',
	'192.0.2.0/a',
	'192.0.2.0/255.255.255.0',
	'192.0.2.*',
	'192.0.2.1-5',
	'2001:db8::/129',
	'2001:db8',
	'2001::db8::1',
	':::',
	'1:2:3:4:5:6:7:8:9',
	'1:2:3:4:5:6:7::8',
	'12345::',
	'g::',
	'::1.2.3',
	'::1.2.3.4:5',
	'[::1]',
	':',
	'/8',
])('%s is no address and no network', (entry) => {
	expect(parseNetwork(entry)).toBeUndefined();
});

test('an empty list has nobody in it', () => {
	expect(isInAny([], '192.0.2.1')).toBe(false);
});

describe('agrees with Node.js', () => {
	test('on networks of IPv4 of every length', () => {
		fc.assert(
			fc.property(
				v4,
				fc.integer({ min: 0, max: 32 }),
				v4,
				bits,
				(network, prefix, other, noise) => {
					const list = listOf(`${network}/${prefix}`);
					for (const address of [network, other, neighbour(network, prefix, noise)]) {
						expect(list.has(address)).toBe(isInByNode(network, prefix, address));
						expect(list.has(`::ffff:${address}`)).toBe(list.has(address));
					}
				},
			),
			{ numRuns: 1_000 },
		);
	});

	test('on networks of IPv6 of every length', () => {
		const last = fc.integer({ min: 0, max: 0xffff });
		fc.assert(
			fc.property(v6, fc.integer({ min: 0, max: 128 }), v6, last, (network, prefix, other, end) => {
				const list = listOf(`${network}/${prefix}`);
				const near = isIP(network.replace(/[^:]*$/, end.toString(16))) === 6;
				const neighbours = near ? [network.replace(/[^:]*$/, end.toString(16))] : [];
				for (const address of [network, other, ...neighbours])
					expect(list.has(address)).toBe(isInByNode(network, prefix, address));
			}),
			{ numRuns: 1_000 },
		);
	});

	test('on what is an address', () => {
		const odd = fc.string({
			unit: fc.constantFrom('0', '1', '9', 'f', 'G', ':', '.', '::', '25', '256', '1.2.3.4'),
			maxLength: 12,
		});
		fc.assert(
			fc.property(fc.oneof(odd, v4, v6), (text) => {
				fc.pre(text !== '');
				expect(parseNetwork(text) !== undefined).toBe(isIP(text) !== 0);
			}),
			{ numRuns: 3_000 },
		);
	});
});
