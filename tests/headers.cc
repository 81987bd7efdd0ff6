// Gives the precompiled headers of tests a library to belong to.
