/** Why a call is refused, in place of what was looked for. It holds no secret. */
export class Refusal {
	readonly reason: string;

	constructor(reason: string) {
		this.reason = reason;
	}
}
