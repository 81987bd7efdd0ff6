// Package chaos has everything happen to a large cluster at once, and asks the API's own objects
// afterwards whether Berth kept its promises. It takes minutes, so all of it has the tag long.
package chaos
