/** A failure that has nothing to do with a request, such as a wrong parameter, in words for the user. */
export class Problem extends Error {
	override name = 'Problem';
	/** Why, and what to do. */
	readonly description: string;

	constructor(message: string, description = '') {
		super(message);
		this.description = description;
	}
}
